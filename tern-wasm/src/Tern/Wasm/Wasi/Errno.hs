-- | The numbers of WASI's errors, which have the names of POSIX's.
--
-- The idea: the constructors stand in the interface's order, so that a number is a
-- constructor's place.
module Tern.Wasm.Wasi.Errno
  ( Errno (..),
    errnoNumber,
    errnoOf,
  )
where

import Data.Word (Word32)

-- | The @errno@ of WASI; 'SUCCESS' is no error.
data Errno
  = SUCCESS
  | E2BIG
  | EACCES
  | EADDRINUSE
  | EADDRNOTAVAIL
  | EAFNOSUPPORT
  | EAGAIN
  | EALREADY
  | EBADF
  | EBADMSG
  | EBUSY
  | ECANCELED
  | ECHILD
  | ECONNABORTED
  | ECONNREFUSED
  | ECONNRESET
  | EDEADLK
  | EDESTADDRREQ
  | EDOM
  | EDQUOT
  | EEXIST
  | EFAULT
  | EFBIG
  | EHOSTUNREACH
  | EIDRM
  | EILSEQ
  | EINPROGRESS
  | EINTR
  | EINVAL
  | EIO
  | EISCONN
  | EISDIR
  | ELOOP
  | EMFILE
  | EMLINK
  | EMSGSIZE
  | EMULTIHOP
  | ENAMETOOLONG
  | ENETDOWN
  | ENETRESET
  | ENETUNREACH
  | ENFILE
  | ENOBUFS
  | ENODEV
  | ENOENT
  | ENOEXEC
  | ENOLCK
  | ENOLINK
  | ENOMEM
  | ENOMSG
  | ENOPROTOOPT
  | ENOSPC
  | ENOSYS
  | ENOTCONN
  | ENOTDIR
  | ENOTEMPTY
  | ENOTRECOVERABLE
  | ENOTSOCK
  | ENOTSUP
  | ENOTTY
  | ENXIO
  | EOVERFLOW
  | EOWNERDEAD
  | EPERM
  | EPIPE
  | EPROTO
  | EPROTONOSUPPORT
  | EPROTOTYPE
  | ERANGE
  | EROFS
  | ESPIPE
  | ESRCH
  | ESTALE
  | ETIMEDOUT
  | ETXTBSY
  | EXDEV
  | ENOTCAPABLE
  deriving stock (Eq, Show, Enum, Bounded)

-- | An error's number: 0 to 76.
errnoNumber :: Errno -> Word32
errnoNumber = fromIntegral . fromEnum

-- | The error of a number; those that the interface does not have are 'EIO'.
errnoOf :: Int -> Errno
errnoOf n
  | n >= 0 && n <= fromEnum (maxBound :: Errno) = toEnum n
  | otherwise = EIO
