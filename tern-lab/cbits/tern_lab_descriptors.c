/* Opens /dev/null in place of standard descriptors that were closed.
 *
 * A program that is started with one of them closed (>&- in a shell, some cron
 * jobs) gives its number to the next file that is opened; with GHC's runtime
 * that is a file of the runtime itself, and the first child process then waits
 * for ever. So this runs before the runtime starts. Calling it from Haskell
 * does nothing more; the call is what makes the linker take this file. */
#include <fcntl.h>
#include <unistd.h>

__attribute__((constructor)) void tern_lab_descriptors(void)
{
    int fd;
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= 2);
    if (fd > 2)
        close(fd);
}
