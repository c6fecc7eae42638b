// Callbacks that feed or drain host streams.
#ifndef poplar_StreamCallback_hpp
#define poplar_StreamCallback_hpp

#include <memory>
#include <type_traits>
#include <utility>

namespace poplar {

/// Base of all stream callbacks.
class StreamCallbackBase {
public:
  enum class Result { Success, NotAvailable };
  virtual ~StreamCallbackBase() = default;
  /// Fills the buffer ahead of need, or says that it cannot.
  virtual Result prefetch(void *buffer) = 0;
  /// Fills the buffer (host to device) or takes what is in it (device to host).
  virtual void fetch(void *buffer) = 0;
  /// The device has taken the data.
  virtual void complete() = 0;
  /// Earlier prefetched data will not be used.
  virtual void invalidatePrefetched() {}
};

class StreamCallback : public StreamCallbackBase {};

/// Only fetch needs to be overridden.
class LegacyStreamCallback : public StreamCallback {
public:
  Result prefetch(void *) override { return Result::NotAvailable; }
  void complete() override {}
};

/// Owns a stream callback; converts from a unique_ptr and from anything callable with a void pointer.
class StreamCallbackHandle {
  template <typename F> struct Adapter : LegacyStreamCallback {
    explicit Adapter(F f) : f(std::move(f)) {}
    void fetch(void *p) override { f(p); }
    F f;
  };

public:
  template <typename C, typename = typename std::enable_if<std::is_base_of<StreamCallbackBase, C>::value>::type>
  StreamCallbackHandle(std::unique_ptr<C> callback) : callback_(std::move(callback)) {}
  template <typename F, typename = decltype(std::declval<F &>()(static_cast<void *>(nullptr)))>
  StreamCallbackHandle(F f) : callback_(new Adapter<F>(std::move(f))) {}
  StreamCallbackHandle(StreamCallbackHandle &&) = default;
  StreamCallbackHandle &operator=(StreamCallbackHandle &&) = default;

  StreamCallbackBase &operator*() const { return *callback_; }
  StreamCallbackBase *operator->() const { return callback_.get(); }

private:
  std::unique_ptr<StreamCallbackBase> callback_;
};

} // namespace poplar

#endif
