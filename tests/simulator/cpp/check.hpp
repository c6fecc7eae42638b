// The smallest test framework that does: CHECK what must hold, CHECK_THROWS what must fail and what the text must say.
#pragma once

#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace check {

struct Test {
  const char *name;
  std::function<void()> body;
};

inline std::vector<Test> &tests() {
  static std::vector<Test> all;
  return all;
}

inline int &failures() {
  static int count = 0;
  return count;
}

struct Registration {
  Registration(const char *name, std::function<void()> body) { tests().push_back({name, std::move(body)}); }
};

inline void fail(const char *file, int line, const std::string &what) {
  std::cerr << file << ':' << line << ": " << what << '\n';
  ++failures();
}

template <typename A, typename B> void equal(const A &a, const B &b, const char *text, const char *file, int line) {
  if (!(a == b))
    fail(file, line, std::string(text) + ": not equal");
}

inline int runAll(const std::string &filter) {
  for (const Test &t : tests()) {
    if (std::string(t.name).find(filter) == std::string::npos)
      continue;
    const int before = failures();
    try {
      t.body();
    } catch (const std::exception &e) {
      fail(t.name, 0, std::string("unexpected exception: ") + e.what());
    }
    std::cout << (failures() == before ? "ok   " : "FAIL ") << t.name << '\n';
  }
  std::cout << tests().size() << " tests, " << failures() << " failures\n";
  return failures() == 0 ? 0 : 1;
}

} // namespace check

#define TEST(NAME)                                               \
  static void NAME();                                            \
  static const check::Registration register_##NAME(#NAME, NAME); \
  static void NAME()

#define CHECK(CONDITION)                           \
  do {                                             \
    if (!(CONDITION))                              \
      check::fail(__FILE__, __LINE__, #CONDITION); \
  } while (false)

#define CHECK_EQ(A, B) check::equal((A), (B), #A " == " #B, __FILE__, __LINE__)

// The statement throws EXCEPTION, and its text contains TEXT.
#define CHECK_THROWS(STATEMENT, EXCEPTION, TEXT)                                                          \
  do {                                                                                                    \
    bool thrown = false;                                                                                  \
    try {                                                                                                 \
      STATEMENT;                                                                                          \
    } catch (const EXCEPTION &e) {                                                                        \
      thrown = true;                                                                                      \
      if (std::string(e.what()).find(TEXT) == std::string::npos)                                          \
        check::fail(__FILE__, __LINE__, std::string("text is: ") + e.what());                             \
    } catch (const std::exception &e) {                                                                   \
      thrown = true;                                                                                      \
      check::fail(__FILE__, __LINE__, std::string("another exception than " #EXCEPTION ": ") + e.what()); \
    }                                                                                                     \
    if (!thrown)                                                                                          \
      check::fail(__FILE__, __LINE__, #STATEMENT " did not throw");                                       \
  } while (false)
