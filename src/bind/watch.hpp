// Runs long work on a thread of its own while the calling thread looks for Ctrl-C and reports progress.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "base/job_control.hpp"
#include "base/parallel.hpp"

namespace tw::bind {

namespace nb = nanobind;

// `progress` is None or called with (done, total) about ten times a second. Called with the GIL held.
template <class Job>
void watched(JobControl& control, const nb::object& progress, Job&& job) {
  std::optional<nb::python_error> failure;
  {
    const nb::gil_scoped_release release;
    const auto poll = [&] {
      const nb::gil_scoped_acquire acquire;
      if (failure) return;
      try {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!progress.is_none()) progress(control.done.load(), control.total);
      } catch (nb::python_error& error) {
        failure.emplace(std::move(error));
        control.stop = true;
      }
    };
    try {
      run_watched(job, poll, std::chrono::milliseconds(50));
    } catch (const Interrupted&) {
      if (!failure) throw;
    }
  }
  if (failure) throw std::move(*failure);
}

}  // namespace tw::bind
