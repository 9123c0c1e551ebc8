/* Asks whether a child has ended, and what it used.
 *
 * Haskell's process library reaps children without their resource usage, and
 * getrusage(RUSAGE_CHILDREN) only has sums and maxima over all of them.
 *
 * out[0]: how it ended (0 exit, 1 signal), out[1]: the exit code or signal,
 * out[2], out[3]: user and system time in microseconds,
 * out[4]: peak resident memory in kilobytes. Returns 1 when it has ended, 0
 * while it runs, and -1 when there is no such child. Never blocks: a program
 * without the threaded runtime has other threads to run meanwhile. */
#include <errno.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

int tern_lab_wait(int pid, int64_t out[5])
{
    struct rusage usage;
    int status;
    pid_t got;
    do {
        got = wait4((pid_t)pid, &status, WNOHANG, &usage);
    } while (got == -1 && errno == EINTR);
    if (got != (pid_t)pid)
        return (int)got;
    out[0] = WIFSIGNALED(status) ? 1 : 0;
    out[1] = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    out[2] = (int64_t)usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec;
    out[3] = (int64_t)usage.ru_stime.tv_sec * 1000000 + usage.ru_stime.tv_usec;
#ifdef __APPLE__
    out[4] = usage.ru_maxrss / 1024;
#else
    out[4] = usage.ru_maxrss;
#endif
    return 1;
}
