// Opens /dev/null in place of standard streams that were closed (>&- in a shell, some cron
// jobs). Otherwise the next file that is opened has a stream's number, and with GHC's runtime
// that is a file of the runtime itself, which a guest would be given as its stream. So this
// runs before the runtime starts; only the program has it, not the library.
//
// Each is opened the wrong way round: who reads or writes it is told that nothing is there,
// and does not believe that what was written arrived.
#include <fcntl.h>

__attribute__((constructor)) static void standard_streams(void) {
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) == -1) open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}
