// certificates.h - certificates for servers and clients of a test, made by openssl(1).
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

// A CA, certificates that it issued, and another CA, in a directory that goes with the object.
class Certificates {
 public:
  Certificates() {
    std::string path = testing::TempDir() + "/certificates-XXXXXX";
    EXPECT_NE(mkdtemp(path.data()), nullptr);
    directory_ = path;
    Make("ca", "");
    Make("other_ca", "");
    Make("server", Issued("subjectAltName=DNS:localhost,IP:127.0.0.1"));
    Make("client", Issued("extendedKeyUsage=clientAuth"));
    Run("openssl pkey -in client.key -aes256 -passout pass:secret -out locked.key");
    for (const char* name : {"ca", "other_ca", "server", "client"}) {
      paths_[name] = directory_ + "/" + name + ".crt";
      paths_[std::string(name) + ".key"] = directory_ + "/" + name + ".key";
    }
    paths_["locked.key"] = directory_ + "/locked.key";
  }
  ~Certificates() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;

  // Paths, valid as long as the object.
  const char* ca() const { return Path("ca"); }
  const char* other_ca() const { return Path("other_ca"); }
  const char* server() const { return Path("server"); }  // of localhost and 127.0.0.1
  const char* server_key() const { return Path("server.key"); }
  const char* client() const { return Path("client"); }
  const char* client_key() const { return Path("client.key"); }
  const char* locked_key() const { return Path("locked.key"); }  // the same, encrypted

 private:
  const char* Path(const std::string& name) const { return paths_.at(name).c_str(); }
  static std::string Issued(const std::string& extension) {
    return "-CA ca.crt -CAkey ca.key -addext " + extension;
  }
  void Run(const std::string& command) const {
    const std::string line =
        "cd '" + directory_ + "' && " + command + " 2>log || { cat log; false; }";
    EXPECT_EQ(std::system(line.c_str()), 0) << command;
  }
  void Make(const std::string& name, const std::string& options) const {
    Run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=" +
        name + " -keyout " + name + ".key -out " + name + ".crt " + options);
  }

  std::string directory_;
  std::map<std::string, std::string> paths_;
};
