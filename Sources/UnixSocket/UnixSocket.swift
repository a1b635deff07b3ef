// UnixSocket: an epoll loop, listeners and line-framed stream sockets.
