// rxctl: the command line.
