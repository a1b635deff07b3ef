// UnixSocket: an event loop on one thread, and Unix stream sockets that speak in lines.
//
// What a user must know:
// - `EventLoop` owns one epoll set. `execute`, `stop`, `join`, `isOnLoop` and `turns` may be used from any thread;
//   everything else here (sockets, listeners, watches, timers) belongs to the loop's thread, or to the thread that sets
//   things up before the loop starts. Debug builds check it.
// - A line handed to a delegate lies in the loop's own read buffer: copy what must outlive the call. 64 readable bytes
//   follow it, for parsers that read ahead.
// - Nothing is written behind the caller's back: `Socket.write` is one send and says how much the kernel took; the rest is
//   the caller's to keep, who sets `wantsWritable` to hear when there is room.
// - End of input is not the end of a socket: the peer may still read what is pending. The peer is gone when `socketDidClose`
//   says so, which needs nothing to be read or written at that moment.
// - A socket, listener or watch lives until it is closed or cancelled: the loop keeps it alive, and its delegate does not.
// - Every descriptor is close-on-exec and non-blocking.
//
// Reading order: EventLoop, Mailbox, TimerHeap, TurnEnd, HandlerTable; Socket, SocketDelegate, LineFramer, KeptBytes;
// Listener, BoundSocket, SocketLock, SocketPath; Watch, SignalWatch; PeerCredentials, SocketError.
