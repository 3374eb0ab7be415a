// What LLVM's archives would take from other libraries, answered as an LLVM that was built without them does. Linked with the
// archives only, and in front of them: the linker takes no file of theirs for what it has already.

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <sys/random.h>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorHandling.h"

using namespace llvm;

// The C library has it since version 2.36 only. LLVM asks for the names of temporary files.
extern "C" uint32_t arc4random() noexcept {
  uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number)
    if (errno != EINTR)
      abort();
  return number;
}

// No zlib and no zstd: no object, module or profile of ours is compressed. Who wants it asks whether it is available.
namespace {

constexpr const char *NONE = "this LLVM was built without compression";

Error none() { return createStringError(inconvertibleErrorCode(), NONE); }

} // namespace

bool compression::zlib::isAvailable() { return false; }

bool compression::zstd::isAvailable() { return false; }

const char *compression::getReasonIfUnsupported(Format) { return NONE; }

void compression::zlib::compress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &, int) { report_fatal_error(NONE); }

void compression::zstd::compress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &, int, bool) { report_fatal_error(NONE); }

void compression::compress(Params, ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &) { report_fatal_error(NONE); }

Error compression::zlib::decompress(ArrayRef<uint8_t>, uint8_t *, size_t &) { return none(); }

Error compression::zlib::decompress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &, size_t) { return none(); }

Error compression::zstd::decompress(ArrayRef<uint8_t>, uint8_t *, size_t &) { return none(); }

Error compression::zstd::decompress(ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &, size_t) { return none(); }

Error compression::decompress(DebugCompressionType, ArrayRef<uint8_t>, uint8_t *, size_t) { return none(); }

Error compression::decompress(Format, ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &, size_t) { return none(); }

Error compression::decompress(DebugCompressionType, ArrayRef<uint8_t>, SmallVectorImpl<uint8_t> &, size_t) {
  return none();
}

// The checksum that zlib has, too, bit by bit: only files that we never read have one.
uint32_t llvm::crc32(uint32_t crc, ArrayRef<uint8_t> data) {
  constexpr uint32_t POLYNOMIAL = 0xEDB88320;
  crc = ~crc;
  for (uint8_t byte : data) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
  }
  return ~crc;
}

uint32_t llvm::crc32(ArrayRef<uint8_t> data) { return crc32(0, data); }

void JamCRC::update(ArrayRef<uint8_t> data) { CRC = ~crc32(~CRC, data); }
