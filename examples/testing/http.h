// http.h - an HTTP client with one connection, which it keeps as long as the server does.
#pragma once

#include <curl/curl.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/await.h"

struct HttpAnswer {
  CURLcode result = CURLE_OK;
  long status = 0;  // 0: no answer
  std::string body;
};

// For one thread.
class Http {
 public:
  explicit Http(std::string base) : base_(std::move(base)) {
    static const CURLcode once = curl_global_init(CURL_GLOBAL_DEFAULT);
    EXPECT_EQ(once, CURLE_OK);
    curl_ = curl_easy_init();
  }
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;
  ~Http() { curl_easy_cleanup(curl_); }

  HttpAnswer Get(const std::string& path) { return Ask("GET", path, nullptr); }
  HttpAnswer Put(const std::string& path, const std::string& body) {
    return Ask("PUT", path, &body);
  }
  HttpAnswer Post(const std::string& path) {
    const std::string nothing;
    return Ask("POST", path, &nothing);
  }
  HttpAnswer Ask(const char* method, const std::string& path, const std::string* body) {
    HttpAnswer answer;
    const std::string url = base_ + path;
    curl_easy_reset(curl_);
    curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl_, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl_, CURLOPT_TIMEOUT, static_cast<long>(kPatience.count()));
    curl_easy_setopt(curl_, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl_, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl_, CURLOPT_CUSTOMREQUEST, method);
    if (body != nullptr) {
      curl_easy_setopt(curl_, CURLOPT_POSTFIELDS, body->data());
      curl_easy_setopt(curl_, CURLOPT_POSTFIELDSIZE, static_cast<long>(body->size()));
    }
    curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, &Http::Receive);
    curl_easy_setopt(curl_, CURLOPT_WRITEDATA, &answer.body);
    answer.result = curl_easy_perform(curl_);
    if (answer.result == CURLE_OPERATION_TIMEDOUT)
      WaitedInVain(std::string(method) + " " + url + " is answered");
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &answer.status);
    return answer;
  }

 private:
  static size_t Receive(char* bytes, size_t size, size_t count, void* to) {
    static_cast<std::string*>(to)->append(bytes, size * count);
    return size * count;
  }
  std::string base_;
  CURL* curl_;
};
