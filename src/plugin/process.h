// What runs beside the compiler: a file to work on, and a process that ends in time.
#ifndef IRKISS_PROCESS
#define IRKISS_PROCESS

#include "llvm/ADT/SmallVector.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace irkiss {

using namespace llvm;

// The module as a file that goes away.
class Bitcode {
  SmallString<128> Path;

public:
  // What went wrong, or nothing.
  std::string write(const Module &M) {
    int Descriptor;
    if (std::error_code E = sys::fs::createTemporaryFile("irkiss-plugin", "bc", Descriptor, Path))
      return "no temporary file: " + E.message() + " (TMPDIR names another folder)";
    // The compiler ends at signals, and takes this file with it.
    sys::RemoveFileOnSignal(Path);
    raw_fd_ostream Out(Descriptor, true);
    WriteBitcodeToFile(M, Out);
    Out.close();
    if (!Out.has_error())
      return "";
    std::string What = Path.str().str() + ": " + Out.error().message() + " (TMPDIR names another folder)";
    Out.clear_error();
    return What;
  }
  StringRef path() const { return Path; }
  ~Bitcode() {
    if (Path.empty())
      return;
    sys::fs::remove(Path);
    sys::DontRemoveFileOnSignal(Path);
  }
};

// How long after its time a process may take to write down what it found, before it is killed.
constexpr unsigned Grace = 10;

// A program that runs beside the compiler, and never longer than it may.
class Process {
  using Clock = std::chrono::steady_clock;
  pid_t Pid = -1;
  int Pipe = -1;
  Clock::time_point End;

  int millisecondsLeft() const {
    auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(End - Clock::now()).count();
    return Left < 0 ? 0 : int(std::min<long long>(Left, 1 << 30));
  }

public:
  Process(unsigned Timeout) : End(Clock::now() + std::chrono::seconds(Timeout + Grace)) {}

  // Starts it with its standard output and error in one pipe. The error, or 0.
  int start(const SmallVectorImpl<std::string> &Words) {
    int Ends[2];
    if (pipe2(Ends, O_CLOEXEC))
      return errno;
    std::vector<char *> Arguments;
    for (const std::string &Word : Words)
      Arguments.push_back(const_cast<char *>(Word.c_str()));
    Arguments.push_back(nullptr);
    posix_spawn_file_actions_t Files;
    posix_spawn_file_actions_init(&Files);
    posix_spawn_file_actions_addopen(&Files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&Files, Ends[1], 1);
    posix_spawn_file_actions_adddup2(&Files, Ends[1], 2);
    // A group of its own, so that whatever it starts can be ended with it. It ends itself when the compiler does.
    posix_spawnattr_t Attributes;
    posix_spawnattr_init(&Attributes);
    posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&Attributes, 0);
    int Error = posix_spawn(&Pid, Arguments[0], &Files, &Attributes, Arguments.data(), environ);
    posix_spawnattr_destroy(&Attributes);
    posix_spawn_file_actions_destroy(&Files);
    close(Ends[1]);
    Pipe = Ends[0];
    if (Error)
      Pid = -1;
    return Error;
  }

  // All that it says. Nothing if it says no end in time.
  std::optional<std::string> answer() {
    std::string Text;
    char Buffer[4096];
    while (true) {
      pollfd Wait{Pipe, POLLIN, 0};
      int Ready = poll(&Wait, 1, millisecondsLeft());
      if (Ready < 0 && errno == EINTR)
        continue;
      if (Ready <= 0)
        return std::nullopt;
      ssize_t Got = read(Pipe, Buffer, sizeof Buffer);
      if (Got < 0 && errno == EINTR)
        continue;
      if (Got <= 0)
        return Text;
      // What nobody would read to the end is not kept.
      if (Text.size() < (64u << 20))
        Text.append(Buffer, size_t(Got));
    }
  }

  // How it ended: its status as `wait` has it. Nothing if it does not end in time.
  std::optional<int> wait() {
    int Status;
    while (true) {
      pid_t Got = waitpid(Pid, &Status, WNOHANG);
      if (Got == Pid) {
        // What it has started ends when it does, but for a crash.
        if (WIFSIGNALED(Status))
          kill(-Pid, SIGKILL);
        Pid = -1;
        return Status;
      }
      if ((Got < 0 && errno != EINTR) || millisecondsLeft() == 0)
        return std::nullopt;
      usleep(2000);
    }
  }

  ~Process() {
    if (Pipe >= 0)
      close(Pipe);
    if (Pid <= 0)
      return;
    kill(-Pid, SIGKILL);
    while (waitpid(Pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
};

} // namespace irkiss

#endif
