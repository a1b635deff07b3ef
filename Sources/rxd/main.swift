// rxd: the daemon.
