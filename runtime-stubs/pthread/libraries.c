/* Libraries beside the C library: what programs ask of them before they begin. */
#include "irkiss_pthread.h"

/* Programs compare them with what their headers say, of which they need no more than the first number. */
IRKISS_ASSUMES("library-versions")
const char *zlibVersion(void) { return "1.3.1"; }
IRKISS_ASSUMES("library-versions")
const char *BZ2_bzlibVersion(void) { return "1.0.8, 13-Jul-2019"; }
IRKISS_ASSUMES("library-versions")
const char *lzma_version_string(void) { return "5.6.3"; }
IRKISS_ASSUMES("library-versions")
u32 lzma_version_number(void) { return 50060032; }
