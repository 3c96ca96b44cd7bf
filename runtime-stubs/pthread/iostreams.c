/* What programs in C++ write by streams (libstdc++). Those for standard input and output may be used by many threads at once without a data
 * race (C++17 [iostream.objects.overview]); what is written mixes. Others are objects of the program: who writes to one changes it.
 * What is read from streams is not modelled here. */
#include "irkiss_pthread.h"

void __irkiss_print_string(const char *text, u64 most);
extern u8 _ZSt4cout, _ZSt4cerr, _ZSt4clog;

/* Its first byte stands for all of it. */
static void *writes(void *stream)
{
    u8 *own = stream, known;
    if (own == &_ZSt4cout || own == &_ZSt4cerr || own == &_ZSt4clog)
        return stream;
    known = *own;
    (void)__irkiss_nondet_bool();
    *own = known;
    return stream;
}

/* A buffer that the program gives a stream is called by it, whenever something is written; those of the standard are no code of the program. */
extern u8 _ZTVSt13basic_filebufIcSt11char_traitsIcEE[], _ZTVNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEE[];
static void own_buffer(void) { __irkiss_gap("what a stream does with a buffer that the program gives it"); }
void _ZNSt9basic_iosIcSt11char_traitsIcEE4initEPSt15basic_streambufIcS1_E(void *stream, const u8 *const *buffer)
{
    (void)writes(stream);
    if (buffer && *buffer != _ZTVSt13basic_filebufIcSt11char_traitsIcEE + 16 &&
        *buffer != _ZTVNSt7__cxx1115basic_stringbufIcSt11char_traitsIcESaIcEEE + 16)
        own_buffer();
}
void _ZNSoC1EPSt15basic_streambufIcSt11char_traitsIcEE(void *stream, void *buffer) { (void)stream; (void)buffer; own_buffer(); }
void _ZNSoC2EPSt15basic_streambufIcSt11char_traitsIcEE(void *stream, const void *const *tables, void *buffer) { (void)stream; (void)tables; (void)buffer; own_buffer(); }
void *_ZNSt9basic_iosIcSt11char_traitsIcEE5rdbufEPSt15basic_streambufIcS1_E(void *stream, void *buffer) { (void)stream; own_buffer(); return buffer; }

/* ---- Numbers: std::ostream::operator<<, and what it calls where it is inline. ---- */
void *_ZNSolsEb(void *stream, _Bool value) { (void)value; return writes(stream); }
void *_ZNSolsEs(void *stream, short value) { (void)value; return writes(stream); }
void *_ZNSolsEt(void *stream, unsigned short value) { (void)value; return writes(stream); }
void *_ZNSolsEi(void *stream, int value) { (void)value; return writes(stream); }
void *_ZNSolsEj(void *stream, unsigned value) { (void)value; return writes(stream); }
void *_ZNSolsEl(void *stream, long value) { (void)value; return writes(stream); }
void *_ZNSolsEm(void *stream, unsigned long value) { (void)value; return writes(stream); }
void *_ZNSolsEx(void *stream, long long value) { (void)value; return writes(stream); }
void *_ZNSolsEy(void *stream, unsigned long long value) { (void)value; return writes(stream); }
void *_ZNSolsEf(void *stream, float value) { (void)value; return writes(stream); }
void *_ZNSolsEd(void *stream, double value) { (void)value; return writes(stream); }
void *_ZNSolsEPKv(void *stream, const void *value) { (void)value; return writes(stream); }
void *_ZNSo9_M_insertIbEERSoT_(void *stream, _Bool value) { (void)value; return writes(stream); }
void *_ZNSo9_M_insertIlEERSoT_(void *stream, long value) { (void)value; return writes(stream); }
void *_ZNSo9_M_insertImEERSoT_(void *stream, unsigned long value) { (void)value; return writes(stream); }
void *_ZNSo9_M_insertIxEERSoT_(void *stream, long long value) { (void)value; return writes(stream); }
void *_ZNSo9_M_insertIyEERSoT_(void *stream, unsigned long long value) { (void)value; return writes(stream); }
void *_ZNSo9_M_insertIdEERSoT_(void *stream, double value) { (void)value; return writes(stream); }
void *_ZNSo9_M_insertIPKvEERSoT_(void *stream, const void *value) { (void)value; return writes(stream); }

/* ---- Texts and characters. ---- */
static void *writes_text(void *stream, const char *text, u64 most)
{
    if (text)
        __irkiss_print_string(text, most);
    return writes(stream);
}

void *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(void *stream, const char *text) { return writes_text(stream, text, ~0ull); }
void *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c(void *stream, char one) { (void)one; return writes(stream); }
void *_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l(void *stream, const char *text, long length)
{
    __irkiss_touch(text, (u64)length);
    return writes(stream);
}
/* std::string: where its characters are, and how many. */
void *_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE(void *stream, const void *const *string)
{
    __irkiss_touch(string[0], (u64)(uptr)string[1]);
    return writes(stream);
}
void *_ZNSo3putEc(void *stream, char one) { (void)one; return writes(stream); }
void *_ZNSo5writeEPKcl(void *stream, const char *bytes, long count)
{
    __irkiss_touch(bytes, (u64)count);
    return writes(stream);
}
void *_ZNSo5flushEv(void *stream) { return writes(stream); }

/* ---- Manipulators. ---- */
void *_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(void *stream) { return writes(stream); }
void *_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(void *stream) { return writes(stream); }
void *_ZSt4endsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(void *stream) { return writes(stream); }
void *_ZNSolsEPFRSoS_E(void *stream, void *(*manipulator)(void *)) { return manipulator(stream); }

/* ---- std::ios_base::Init: that the standard streams are there. ---- */
void _ZNSt8ios_base4InitC1Ev(void *object) { (void)object; }
void _ZNSt8ios_base4InitD1Ev(void *object) { (void)object; }
