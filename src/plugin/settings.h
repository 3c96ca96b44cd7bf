// What the user says: options of `-mllvm`, and variables of the environment.
#ifndef IRKISS_SETTINGS
#define IRKISS_SETTINGS

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace irkiss {

using namespace llvm;

// Which modules of a build with full LTO are checked.
enum class Lto {
  // The whole program, when it is linked.
  Link,
  // Each unit, when it is compiled.
  Units,
  Both,
};

// Options of `-mllvm`. They stand beside the variables of the environment and come after them.
struct Switches {
  cl::opt<std::string> Flags{"irkiss-flags", cl::desc("irkiss: options of the check, as in IRKISS_FLAGS"),
                             cl::value_desc("words")};
  cl::opt<std::string> Checker{"irkiss-checker", cl::desc("irkiss: the program to run, as in IRKISS"),
                               cl::value_desc("path")};
  cl::opt<std::string> Store{"irkiss-store", cl::desc("irkiss: keep bitcode and result in this store, as in IRKISS_STORE"),
                             cl::value_desc("folder")};
  cl::opt<std::string> Lto{"irkiss-lto", cl::desc("irkiss: what to check with -flto: link, units or both, as in IRKISS_LTO"),
                           cl::value_desc("which")};
};

// Made by the function that is called when the library is loaded, and not before it is known that this is the right LLVM.
inline Switches *TheSwitches = nullptr;

// The option if it was given, else the variable, else nothing.
inline std::string said(const cl::opt<std::string> Switches::*Option, const char *Variable) {
  if (TheSwitches && (TheSwitches->*Option).getNumOccurrences())
    return TheSwitches->*Option;
  const char *Value = std::getenv(Variable);
  return Value ? Value : "";
}

// One line about irkiss itself. No diagnostic of the compiler: -Werror must not make an error of it.
inline void complain(const Twine &What) {
  std::string Line = ("irkiss: warning: " + What).str();
  for (char &C : Line)
    if (C == '\n' || C == '\r')
      C = ' ';
  errs() << Line << '\n';
}

inline Lto ltoOf(const std::string &Name) {
  if (Name == "units")
    return Lto::Units;
  if (Name == "both")
    return Lto::Both;
  if (!Name.empty() && Name != "link")
    complain("IRKISS_LTO: '" + Name + "' is none of link, units, both (link is taken)");
  return Lto::Link;
}

// Seconds for one module unless --timeout says otherwise: as in a step of a kernel build.
constexpr unsigned Seconds = 60;
struct Flags {
  SmallVector<std::string> Words;
  unsigned Timeout = Seconds;
};

inline Flags flags() {
  Flags Found;
  BumpPtrAllocator Memory;
  StringSaver Saver(Memory);
  SmallVector<const char *> Words;
  const char *Variable = std::getenv("IRKISS_FLAGS");
  cl::TokenizeGNUCommandLine(Variable ? Variable : "", Saver, Words);
  if (TheSwitches)
    cl::TokenizeGNUCommandLine(std::string(TheSwitches->Flags), Saver, Words);
  Found.Words = {"--timeout", std::to_string(Seconds)};
  for (size_t I = 0; I < Words.size(); ++I) {
    StringRef Word = Words[I], Value;
    Found.Words.push_back(Word.str());
    if (Word == "--timeout" && I + 1 < Words.size())
      Value = Words[I + 1];
    else if (Word.consume_front("--timeout="))
      Value = Word;
    unsigned Number;
    if (!Value.empty() && !Value.getAsInteger(10, Number))
      Found.Timeout = std::min(Number, 1u << 24);
  }
  return Found;
}

// The checker: IRKISS, `irkiss` beside this library, or in `../bin` of where it lies, or on PATH.
inline ErrorOr<std::string> checker() {
  std::string Own = said(&Switches::Checker, "IRKISS");
  if (!Own.empty())
    return StringRef(Own).contains('/') ? ErrorOr<std::string>(Own) : sys::findProgramByName(Own);
  Dl_info Here;
  SmallString<256> Library;
  if (dladdr(reinterpret_cast<void *>(&complain), &Here) && !sys::fs::real_path(Here.dli_fname, Library)) {
    StringRef Folder = sys::path::parent_path(Library);
    for (const char *Where : {"irkiss", "../bin/irkiss", "../../bin/irkiss"}) {
      SmallString<256> Candidate(Folder);
      sys::path::append(Candidate, Where);
      if (sys::fs::can_execute(Candidate))
        return Candidate.str().str();
    }
  }
  return sys::findProgramByName("irkiss");
}

} // namespace irkiss

#endif
