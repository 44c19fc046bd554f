/* Preloaded into a process, it writes down what the process does to files below a folder.
 *
 * RECORDER_ROOT is the folder, RECORDER_LOG the file of events, which powerloss.py reads. SQLite,
 * DuckDB and Python all call these functions of the C library. A sync notes where the log ended
 * when it began: what was written later is not sure to be on disk when it returns.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, CUT, SYNC, LINK, UNLINK };

struct head {
    uint8_t kind, is_folder, is_new, unused[5];
    uint64_t inode, at, child;
    uint32_t name_bytes, data_bytes;
};

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static char root[PATH_MAX];
static size_t root_chars;
static int log_fd = -1;

static void lock_now(void) { pthread_mutex_lock(&lock); }
static void unlock_now(void) { pthread_mutex_unlock(&lock); }

__attribute__((constructor)) static void begin(void) {
    const char *folder = getenv("RECORDER_ROOT"), *log = getenv("RECORDER_LOG");
    if (!folder || !log || !realpath(folder, root)) return;
    root_chars = strlen(root);
    log_fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    pthread_atfork(lock_now, unlock_now, unlock_now);
}

static void note(struct head head, const char *name, const void *data) {
    struct iovec parts[] = {{&head, sizeof head}, {(void *)name, 0}, {(void *)data, head.data_bytes}};
    parts[1].iov_len = head.name_bytes = name ? strlen(name) : 0;
    size_t size = sizeof head + head.name_bytes + head.data_bytes;
    /* Past the end of what one may keep, no event is better than half a one. */
    if ((size_t)syscall(SYS_writev, log_fd, parts, 3) != size) abort();
}

static int inside(const char *path) {
    return !strncmp(path, root, root_chars) && (path[root_chars] == '/' || !path[root_chars]);
}

static int fd_inside(int fd) {
    char link[64], path[PATH_MAX];
    if (log_fd < 0) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n <= 0) return 0;
    path[n] = 0;
    return inside(path);
}

/* The folder of a path, resolved, and the name in it; whether it lies below the root. */
static int split(int dir_fd, const char *path, uint64_t *folder, char name[NAME_MAX + 1]) {
    char full[PATH_MAX], resolved[PATH_MAX], link[64];
    if (log_fd < 0 || !path) return 0;
    if (*path == '/') {
        snprintf(full, sizeof full, "%s", path);
    } else {
        snprintf(link, sizeof link, dir_fd == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", dir_fd);
        ssize_t n = readlink(link, full, sizeof full - 1);
        if (n <= 0) return 0;
        snprintf(full + n, sizeof full - n, "/%s", path);
    }
    size_t end = strlen(full);
    while (end > 1 && full[end - 1] == '/') full[--end] = 0;
    char *slash = strrchr(full, '/');
    if (!slash) return 0;
    snprintf(name, NAME_MAX + 1, "%s", slash + 1);
    *(slash == full ? slash + 1 : slash) = 0;
    struct stat status;
    if (!realpath(full, resolved) || !inside(resolved) || stat(resolved, &status)) return 0;
    *folder = status.st_ino;
    return 1;
}

#define REAL(name) static typeof(&name) real; if (!real) real = (typeof(&name))dlsym(RTLD_NEXT, #name)

/* -- paths -- */

static int opened(int dir_fd, const char *path, int flags, mode_t mode) {
    uint64_t folder;
    char name[NAME_MAX + 1];
    struct stat status;
    int saved;
    if (!(flags & (O_CREAT | O_TRUNC)) || !split(dir_fd, path, &folder, name))
        return syscall(SYS_openat, dir_fd, path, flags, mode);
    lock_now();
    int is_new = fstatat(dir_fd, path, &status, 0) != 0;
    int fd = syscall(SYS_openat, dir_fd, path, flags, mode);
    saved = errno;
    if (fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode)) {
        if (is_new)
            note((struct head){LINK, 0, 1, .inode = folder, .child = status.st_ino}, name, NULL);
        else if (flags & O_TRUNC)
            note((struct head){CUT, .inode = status.st_ino}, NULL, NULL);
    }
    unlock_now();
    errno = saved;
    return fd;
}

#define MODE(flags, last) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { va_list list; va_start(list, last); \
        mode = va_arg(list, int); va_end(list); }

int open(const char *path, int flags, ...) { MODE(flags, flags) return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags, flags) return opened(AT_FDCWD, path, flags | O_LARGEFILE, mode); }
int openat(int dir, const char *path, int flags, ...) { MODE(flags, flags) return opened(dir, path, flags, mode); }
int openat64(int dir, const char *path, int flags, ...) { MODE(flags, flags) return opened(dir, path, flags | O_LARGEFILE, mode); }
int creat(const char *path, mode_t mode) { return opened(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int mkdirat(int dir, const char *path, mode_t mode) {
    uint64_t folder;
    char name[NAME_MAX + 1];
    struct stat status;
    lock_now();
    int done = syscall(SYS_mkdirat, dir, path, mode), saved = errno;
    if (!done && split(dir, path, &folder, name) && !fstatat(dir, path, &status, 0))
        note((struct head){LINK, 1, 1, .inode = folder, .child = status.st_ino}, name, NULL);
    unlock_now();
    errno = saved;
    return done;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int unlinkat(int dir, const char *path, int flags) {
    uint64_t folder;
    char name[NAME_MAX + 1];
    lock_now();
    int is_inside = split(dir, path, &folder, name);
    int done = syscall(SYS_unlinkat, dir, path, flags), saved = errno;
    if (!done && is_inside) note((struct head){UNLINK, .inode = folder}, name, NULL);
    unlock_now();
    errno = saved;
    return done;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int renameat2(int old_dir, const char *old, int new_dir, const char *new, unsigned flags) {
    uint64_t from, to;
    char old_name[NAME_MAX + 1], new_name[NAME_MAX + 1];
    struct stat status;
    lock_now();
    int was_inside = split(old_dir, old, &from, old_name);
    int is_there = !fstatat(old_dir, old, &status, 0);
    int done = syscall(SYS_renameat2, old_dir, old, new_dir, new, flags), saved = errno;
    if (!done && was_inside) note((struct head){UNLINK, .inode = from}, old_name, NULL);
    if (!done && is_there && split(new_dir, new, &to, new_name))
        note((struct head){LINK, S_ISDIR(status.st_mode), .inode = to, .child = status.st_ino}, new_name, NULL);
    unlock_now();
    errno = saved;
    return done;
}
int renameat(int a, const char *old, int b, const char *new) { return renameat2(a, old, b, new, 0); }
int rename(const char *old, const char *new) { return renameat2(AT_FDCWD, old, AT_FDCWD, new, 0); }

/* -- descriptors -- */

static void wrote(int fd, uint64_t at, const void *data, ssize_t n) {
    struct stat status;
    int saved = errno;
    if (n > 0 && !fstat(fd, &status))
        note((struct head){WRITE, .inode = status.st_ino, .at = at, .data_bytes = n}, NULL, data);
    errno = saved;
}

ssize_t write(int fd, const void *data, size_t n) {
    if (!fd_inside(fd)) return syscall(SYS_write, fd, data, n);
    lock_now();
    struct stat status;
    fstat(fd, &status);
    int is_append = fcntl(fd, F_GETFL) & O_APPEND;
    uint64_t at = is_append ? status.st_size : lseek(fd, 0, SEEK_CUR);
    ssize_t done = syscall(SYS_write, fd, data, n);
    wrote(fd, at, data, done);
    unlock_now();
    return done;
}

ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at) {
    if (!fd_inside(fd)) return syscall(SYS_pwrite64, fd, data, n, at);
    lock_now();
    ssize_t done = syscall(SYS_pwrite64, fd, data, n, at);
    wrote(fd, at, data, done);
    unlock_now();
    return done;
}
ssize_t pwrite(int fd, const void *data, size_t n, off_t at) { return pwrite64(fd, data, n, at); }

ssize_t writev(int fd, const struct iovec *parts, int n) {
    REAL(writev);
    if (!fd_inside(fd)) return real(fd, parts, n);
    ssize_t total = 0; /* one after the other: a short total is what writev may give, too */
    for (int i = 0; i < n; i++) {
        ssize_t done = write(fd, parts[i].iov_base, parts[i].iov_len);
        if (done < 0) return total ? total : done;
        total += done;
        if ((size_t)done < parts[i].iov_len) break;
    }
    return total;
}

int ftruncate64(int fd, off64_t size) {
    struct stat status;
    if (!fd_inside(fd)) return syscall(SYS_ftruncate, fd, size);
    lock_now();
    int done = syscall(SYS_ftruncate, fd, size), saved = errno;
    if (!done && !fstat(fd, &status))
        note((struct head){CUT, .inode = status.st_ino, .at = size}, NULL, NULL);
    unlock_now();
    errno = saved;
    return done;
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int truncate64(const char *path, off64_t size) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return fd;
    int done = ftruncate64(fd, size), saved = errno;
    close(fd);
    errno = saved;
    return done;
}
int truncate(const char *path, off_t size) { return truncate64(path, size); }

static int synced(long call, int fd) {
    struct stat status;
    if (!fd_inside(fd)) return syscall(call, fd);
    fstat(log_fd, &status);
    uint64_t began = status.st_size;
    int done = syscall(call, fd), saved = errno;
    lock_now();
    if (!done && !fstat(fd, &status))
        note((struct head){SYNC, .inode = status.st_ino, .at = began}, NULL, NULL);
    unlock_now();
    errno = saved;
    return done;
}
int fsync(int fd) { return synced(SYS_fsync, fd); }
int fdatasync(int fd) { return synced(SYS_fdatasync, fd); }

/* Copies within the kernel would be missed: callers then read and write. */
ssize_t sendfile64(int out, int in, off64_t *at, size_t n) { errno = EINVAL; return -1; }
ssize_t sendfile(int out, int in, off_t *at, size_t n) { errno = EINVAL; return -1; }
ssize_t copy_file_range(int in, off64_t *a, int out, off64_t *b, size_t n, unsigned f) { errno = EXDEV; return -1; }
