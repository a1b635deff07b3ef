// RxClient: the protocol from the other end.
