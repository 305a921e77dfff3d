// exposition.h - reads a text in Prometheus' exposition format, and checks it against the grammar.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <utility>

// For texts without timestamps.  Each sample must have the label `label` first.  Keeps the samples by
// metric and the values of the labels, joined by "/".
class Exposition {
 public:
  explicit Exposition(const std::string& text, const std::string& label = "filter")
      : text_(text), label_(label) {
    while (at_ < text_.size() && !failed_) Line();
    EXPECT_FALSE(failed_) << "at " << text_.substr(at_, 60);
  }
  std::map<std::pair<std::string, std::string>, double> samples;

 private:
  void Need(bool holds) { failed_ = failed_ || !holds; }
  bool Take(const std::string& literal) {
    const bool there = text_.compare(at_, literal.size(), literal) == 0;
    if (there) at_ += literal.size();
    return there;
  }
  std::string Until(char end) {
    const size_t found = text_.find(end, at_);
    Need(found != std::string::npos);
    if (failed_) return "";
    const std::string taken = text_.substr(at_, found - at_);
    at_ = found + 1;
    return taken;
  }
  // [a-zA-Z_:][a-zA-Z0-9_:]*
  std::string Name() {
    const size_t from = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '_' || text_[at_] == ':'))
      at_++;
    Need(at_ > from && std::isdigit(static_cast<unsigned char>(text_[from])) == 0);
    return text_.substr(from, at_ - from);
  }
  std::string LabelValue() {
    std::string value;
    Need(Take("\""));
    while (!failed_ && !Take("\"")) {
      Need(at_ < text_.size() && text_[at_] != '\n');
      if (Take("\\")) {
        Need(at_ < text_.size() && std::string("\\\"n").find(text_[at_]) != std::string::npos);
        value += text_[at_] == 'n' ? '\n' : text_[at_];
      } else if (!failed_) {
        value += text_[at_];
      }
      at_++;
    }
    return value;
  }
  void Line() {
    if (Take("# HELP ")) {
      metric_ = Name();
      Need(Take(" "));
      Need(seen_.insert(metric_).second);  // all lines of a metric are adjacent
      Until('\n');
      typed_ = false;
    } else if (Take("# TYPE ")) {
      Need(Name() == metric_ && !typed_ && Take(" "));
      const std::string type = Until('\n');
      Need(type == "gauge" || type == "counter");
      const bool total = metric_.size() > 6 && metric_.substr(metric_.size() - 6) == "_total";
      Need((type == "counter") == total);
      typed_ = true;
    } else {
      Need(Name() == metric_ && typed_ && Take("{" + label_ + "="));
      std::string label = LabelValue();
      while (!failed_ && Take(",")) {
        Name();
        Need(Take("="));
        label += "/" + LabelValue();
      }
      Need(Take("} "));
      const std::string number = Until('\n');
      char* end = nullptr;
      const double value = std::strtod(number.c_str(), &end);
      Need(!number.empty() && *end == '\0');
      Need(number.find_first_not_of("0123456789.e+-") == std::string::npos || number == "NaN" ||
           number == "+Inf");
      Need(samples.insert({{metric_, label}, value}).second);
    }
  }
  const std::string text_, label_;
  size_t at_ = 0;
  bool failed_ = false, typed_ = false;
  std::string metric_;
  std::set<std::string> seen_;
};
