/* Ends the process after some seconds, with 1 and a line on standard error: for code that
 * the runtime cannot interrupt. 0 seconds: not any more. The line is copied. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

static char line[1024];

static void over(int signal)
{
    ssize_t written = write(2, line, strlen(line));
    (void)signal;
    (void)written;
    _exit(1);
}

void tern_lab_watch(int seconds, const char *text)
{
    struct sigaction action;
    alarm(0);
    if (seconds <= 0) {
        signal(SIGALRM, SIG_DFL);
        return;
    }
    strncpy(line, text, sizeof line - 1);
    memset(&action, 0, sizeof action);
    action.sa_handler = over;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, 0);
    alarm((unsigned)seconds);
}
