// Loaded before everything else: the n-th `operator new` of the process fails once it is armed, and every allocation that is
// alive is counted. What Python itself allocates does not come this way.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
std::atomic<long> countdown{0};
std::atomic<long> alive{0};
std::atomic<long> failed{0};

bool fails() {
  if (countdown.load(std::memory_order_relaxed) <= 0) return false;
  if (countdown.fetch_sub(1) != 1) return false;
  ++failed;
  return true;
}

void* allocate(std::size_t size, std::size_t align) {
  if (fails()) return nullptr;
  void* p = align <= alignof(std::max_align_t) ? std::malloc(size ? size : 1) : std::aligned_alloc(align, (size + align - 1) / align * align);
  if (p) ++alive;
  return p;
}

void* allocate_or_throw(std::size_t size, std::size_t align) {
  if (void* p = allocate(size, align)) return p;
  throw std::bad_alloc();
}

void release(void* p) {
  if (p) --alive;
  std::free(p);
}
}  // namespace

extern "C" {
void fail_at(long n) {
  failed = 0;
  countdown = n;
}
long has_failed() { return failed; }
long still_alive() { return alive; }
}

constexpr std::size_t kPlain = alignof(std::max_align_t);
void* operator new(std::size_t n) { return allocate_or_throw(n, kPlain); }
void* operator new[](std::size_t n) { return allocate_or_throw(n, kPlain); }
void* operator new(std::size_t n, std::align_val_t a) { return allocate_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return allocate_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, kPlain); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, kPlain); }
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { release(p); }
