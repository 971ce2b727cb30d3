// The only file that mentions threads. Threads are started per call and joined before it returns, so nothing survives a
// fork. Work is handed out by an atomic counter: which thread takes an item never changes what the item computes.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace tw {

// Starts a thread; false where the system has none left (limits of processes or memory): whoever asked goes on without it.
template <class Run>
bool start(std::vector<std::jthread>& threads, Run&& run) {
  try {
    threads.emplace_back(std::forward<Run>(run));
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

// Runs body(item, worker) for every item in [0, items) on up to `threads` threads. The first exception is rethrown.
template <class Body>
void for_each(std::size_t items, unsigned threads, Body&& body) {
  if (threads <= 1 || items <= 1) {
    for (std::size_t i = 0; i < items; ++i) body(i, 0U);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  const auto run = [&](unsigned worker) {
    try {
      for (std::size_t i = next.fetch_add(1); i < items; i = next.fetch_add(1)) body(i, worker);
    } catch (...) {
      const std::lock_guard lock(guard);
      if (!failure) failure = std::current_exception();
      next.store(items);
    }
  };
  {
    std::vector<std::jthread> helpers;
    const unsigned count = static_cast<unsigned>(items < threads ? items : threads);
    helpers.reserve(count - 1);
    for (unsigned worker = 1; worker < count; ++worker)
      if (!start(helpers, [&run, worker] { run(worker); })) break;
    run(0);
  }
  if (failure) std::rethrow_exception(failure);
}

// Runs `job` on a thread of its own while this one calls `poll` every `pause`; rethrows what the job threw. Without a thread to be had,
// the job runs here, and nobody polls.
template <class Job, class Poll>
void run_watched(Job&& job, Poll&& poll, std::chrono::milliseconds pause) {
  std::mutex guard;
  std::condition_variable finished;
  bool done = false;
  std::exception_ptr failure;
  std::vector<std::jthread> runner;
  runner.reserve(1);
  const auto run = [&] {
    try {
      job();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(guard);
    done = true;
    finished.notify_one();
  };
  if (!start(runner, run)) return job();
  std::unique_lock lock(guard);
  while (!finished.wait_for(lock, pause, [&] { return done; })) {
    lock.unlock();
    poll();
    lock.lock();
  }
  lock.unlock();
  runner[0].join();
  if (failure) std::rethrow_exception(failure);
}

// A value made of its immutable owner at the first need, by whichever thread comes first. Copies of the owner start without it.
template <class T>
class Once {
 public:
  Once() = default;
  Once(const Once&) {}
  Once& operator=(const Once&) {
    made_ = std::make_unique<Made>();
    return *this;
  }
  // Nothing is allocated, so that an owner can be moved where nothing may be thrown.
  Once(Once&&) noexcept = default;
  Once& operator=(Once&&) noexcept = default;

  template <class Make>
  const T& get(Make&& make) const {
    std::call_once(made_->flag, [&] { made_->value = std::make_shared<const T>(make()); });
    return *made_->value;
  }

 private:
  struct Made {
    std::once_flag flag;
    std::shared_ptr<const T> value;  // shared, so that T may be incomplete where the owner is defined
  };
  std::unique_ptr<Made> made_ = std::make_unique<Made>();
};

}  // namespace tw
