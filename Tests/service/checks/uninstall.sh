# What `make uninstall` takes away.

uninstalls() {
    fresh
    /repository/systemd/uninstall
    ! systemctl cat rxd.service || fail "the service is known still"
    ! pgrep -u rxd --list-full || fail "the daemon runs on"
    [ ! -e $SOCKET ] || fail "the socket is left"
    equal "files left" "$(find /usr/local -type f)" ""
    [ -e /etc/rxd/conf.d/service-test.toml ] || fail "the configuration is gone"
}

check "make uninstall takes the service away and leaves the configuration" uninstalls
