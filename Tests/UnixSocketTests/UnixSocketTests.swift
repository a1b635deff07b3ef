// Tests of UnixSocket.
