// Texts and lists from Python. Unlike nanobind's own, these may throw where memory runs out, which becomes a MemoryError;
// nanobind's end the process. No file may include nanobind/stl/string.h or nanobind/stl/vector.h beside it.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace nanobind::detail {

template <>
struct type_caster<std::string> {
  NB_TYPE_CASTER(std::string, const_name("str"))

  template <class Flags>
  bool from_python(handle source, Flags, cleanup_list*) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(source.ptr(), &size);
    if (text == nullptr) {
      PyErr_Clear();
      return false;
    }
    value.assign(text, static_cast<std::size_t>(size));
    return true;
  }

  static handle from_cpp(const std::string& text, rv_policy, cleanup_list*) noexcept {
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  }
};

template <class T>
struct type_caster<std::vector<T>> {
  NB_TYPE_CASTER(std::vector<T>, const_name("list[") + make_caster<T>::Name + const_name("]"))

  template <class Flags>
  bool from_python(handle source, Flags flags, cleanup_list* cleanup) {
    if (PyUnicode_Check(source.ptr()) || PyBytes_Check(source.ptr())) return false;
    const object held = steal(PySequence_Fast(source.ptr(), ""));
    if (!held.is_valid()) {
      PyErr_Clear();
      return false;
    }
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(held.ptr());
    value.clear();
    value.reserve(static_cast<std::size_t>(size));
    for (Py_ssize_t i = 0; i < size; ++i) {
      make_caster<T> entry;
      if (!entry.from_python(PySequence_Fast_GET_ITEM(held.ptr(), i), flags_for_local_caster<T>(flags), cleanup) ||
          !entry.template can_cast<T>())
        return false;
      value.push_back(entry.operator cast_t<T>());
    }
    return true;
  }

  template <class List>
  static handle from_cpp(List&& list, rv_policy policy, cleanup_list* cleanup) noexcept {
    object out = steal(PyList_New(static_cast<Py_ssize_t>(list.size())));
    if (!out.is_valid()) return {};
    Py_ssize_t at = 0;
    for (auto&& entry : list) {
      const handle made = make_caster<T>::from_cpp(forward_like_<List>(entry), policy, cleanup);
      if (!made.is_valid()) return {};
      PyList_SET_ITEM(out.ptr(), at++, made.ptr());
    }
    return out.release();
  }
};

}  // namespace nanobind::detail
