# The units, whether they run, when the timers are due, and how the newest runs ended.
watch -n1 'systemctl list-units job-*; systemctl list-timers; journalctl -n10 -u job-*'
