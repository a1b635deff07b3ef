// UnixSocket: Unix stream sockets that deliver lines, and listeners, on RxLoop's event loop.
//
// Rules for users:
// - Sockets and listeners belong to the loop's thread, or to the thread that sets things up before the loop starts.
//   Debug builds check this.
// - A line passed to a delegate is in the loop's read buffer: copy it to keep it beyond the call. 64 readable bytes
//   follow it, for parsers that read ahead.
// - `Socket.write` is one send and returns how many bytes the kernel accepted. The caller keeps the rest and sets
//   `wantsWritable` to be called when there is space.
// - End of input is not the end of a socket: the peer may still read. `socketDidClose` reports that the peer is gone,
//   even when nothing is being read or written.
// - The loop retains a socket or listener until it is closed, but not its delegate.
// - Every descriptor is close-on-exec and nonblocking.
//
// The module's outside world, besides its loop, is the kernel's sockets and the files at their paths. Only these files
// make system calls: Socket and Listener (receive, send, accept, close), BoundSocket, SocketLock, and SocketPath (bind,
// connect, the files around a socket), and PeerCredentials.
//
// Reading order: Socket, LineFramer, KeptBytes; Listener, BoundSocket, SocketLock, SocketPath;
// PeerCredentials, SocketError.
