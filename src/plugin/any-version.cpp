// `irkiss-plugin.so`: loads the plugin of the LLVM that loads it, `irkiss-plugin-N.so` beside it. Knows nothing else of LLVM.
// Where there is none, that is one line and the compile goes on.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace {

// The answer of a plugin up to LLVM 21, and what came after.
struct Info {
  uint32_t ApiVersion;
  const char *Name, *Version;
  void (*Register)(void *);
};
struct LaterInfo : Info {
  void *PreCodeGen;
};
using Entry = Info();

unsigned Major = 0;
Entry *Found = nullptr;
// Set before objects of the library are made.
char Sought[4096];

// The folder in which this library lies, with the slash.
std::string folder() {
  Dl_info Here;
  if (!dladdr(reinterpret_cast<void *>(&folder), &Here))
    return "";
  char *Path = realpath(Here.dli_fname, nullptr);
  std::string Name = Path ? Path : Here.dli_fname;
  free(Path);
  return Name.substr(0, Name.rfind('/') + 1);
}

// When it is loaded, not when it is asked: `-Xclang -load` never asks, and the plugin's options have to be there.
__attribute__((constructor)) void loaded() {
  using GetVersion = void(unsigned *, unsigned *, unsigned *);
  if (auto *Get = reinterpret_cast<GetVersion *>(dlsym(RTLD_DEFAULT, "LLVMGetVersion")))
    Get(&Major, nullptr, nullptr);
  snprintf(Sought, sizeof Sought, "%sirkiss-plugin-%u.so", folder().c_str(), Major);
  if (void *Library = dlopen(Sought, RTLD_LAZY | RTLD_GLOBAL))
    Found = reinterpret_cast<Entry *>(dlsym(Library, "llvmGetPassPluginInfo"));
}

void registerNothing(void *) {}

Info nothing() { return {1, "irkiss", IRKISS_VERSION, registerNothing}; }
LaterInfo laterNothing() { return {{2, "irkiss", IRKISS_VERSION, registerNothing}, nullptr}; }

} // namespace

#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"
extern "C" __attribute__((visibility("default"))) Info llvmGetPassPluginInfo() {
  if (!Found && Major)
    fprintf(stderr, "irkiss: warning: nothing is checked: no %s (the plugin for LLVM %u, which loads this one)\n",
            Sought, Major);
  else if (!Found)
    fprintf(stderr, "irkiss: warning: nothing is checked: this program is of no LLVM that the plugin knows\n");
  Entry *Answer = Found ? Found : Major < 22 ? nothing : reinterpret_cast<Entry *>(reinterpret_cast<void *>(laterNothing));
  // Gone before it is written: the caller has room for what its own version has, which may be more than is known here.
  [[clang::musttail]] return Answer();
}
