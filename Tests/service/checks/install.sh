# What `make install` leaves is complete and clean.

installs() {
    PREFIX=/usr/local DESTDIR= /repository/systemd/install /programs
    printf 'm alice rxd\n' | systemd-sysusers -
    configure service-test.toml <actions.toml
    id rxd
}

verifies() {
    local complaints
    complaints=$(systemd-analyze verify rxd.service rxd.socket 2>&1) || fail "$complaints"
    equal "systemd-analyze verify's output" "$complaints" ""
    # A user manager has generators of the machine's own, which may complain of what this container lacks.
    complaints=$(XDG_RUNTIME_DIR=/run systemd-analyze --user verify \
        /usr/local/lib/systemd/user/rxd.service /usr/local/lib/systemd/user/rxd.socket 2>&1) || fail "$complaints"
    equal "systemd-analyze --user verify's output" "$(grep rxd <<<"$complaints" || true)" ""
}

is_hardened() {
    local report exposure
    report=$(systemd-analyze security --offline=true --no-pager /usr/local/lib/systemd/system/rxd.service)
    exposure=$(echo "$report" | sed -nE 's/.*Overall exposure level for rxd.service: ([0-9.]+).*/\1/p')
    [ -n "$exposure" ] || fail "no exposure level"
    [ "${exposure/./}" -le 20 ] || fail "exposure level $exposure"
}

has_manuals() {
    local page
    for page in man1/rxctl.1 man5/rxd.toml.5 man7/rx-protocol.7 man8/rxd.8; do
        grep -q '^\.SH NAME' "/usr/local/share/man/$page" || fail "no $page"
    done
}

keeps_configuration() {
    echo '# mine' >>/etc/rxd/conf.d/service-test.toml
    /repository/systemd/install /programs
    grep -q '^# mine' /etc/rxd/conf.d/service-test.toml
}

names_examples() {
    local root
    root=$(mktemp -d)
    PREFIX=/usr DESTDIR=$root /repository/systemd/install /programs
    grep -q ' /usr/share/doc/rxd/examples/demo\.$' "$root/etc/rxd/rxd.toml" || fail "the demo is elsewhere"
    [ -f "$root/usr/share/doc/rxd/examples/demo/rxd.toml" ] || fail "no demo"
    rm -r "$root"
}

check "make install sets up the service" installs
check "systemd-analyze verify has no complaint" verifies
check "systemd-analyze security rates the service 2.0 or better" is_hardened
check "make install puts the manual pages into share/man" has_manuals
check "installing again keeps the configuration" keeps_configuration
check "with another PREFIX, the configuration names the installed demo" names_examples
