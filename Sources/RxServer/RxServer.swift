// RxServer: a host on a socket.
