// Systemd: notify, watchdog, socket activation and the journal.
