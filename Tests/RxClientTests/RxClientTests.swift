// RxClient against a scripted daemon on a real socket: see `FakeDaemon`.
