# The units for `systemctl --user`, under a user manager of alice's, and daemons that users start by hand.

RUNTIME=/run/user/2001

# No PAM inside the container: what pam_systemd would set is given instead.
mkdir -p /etc/systemd/system/user@.service.d /home/alice/.config/rxd/conf.d
printf '[Service]\nPAMName=\nEnvironment=XDG_RUNTIME_DIR=/run/user/%%i\n' >/etc/systemd/system/user@.service.d/test.conf
cp actions.toml /home/alice/.config/rxd/conf.d/
chown -R alice:alice /home/alice
systemctl daemon-reload

# The words of alice in a session of hers.
session() { as alice env HOME=/home/alice XDG_RUNTIME_DIR=$RUNTIME "$@"; }
users_rxctl() { session timeout 60 /usr/local/bin/rxctl "$@"; }

runs_for_a_user() {
    systemctl start user@2001.service
    session systemctl --user start rxd.socket
    equal "the socket" "$(stat -c '%U %a' $RUNTIME/rxd/rxd.sock)" "alice 600"
    equal "its directory" "$(stat -c '%U %a' $RUNTIME/rxd)" "alice 700"
    equal "rxctl's output" "$(users_rxctl execute test-hello)" '"hello"'
    equal "the state directory" "$(stat -c '%U %a' /home/alice/.local/state/rxd)" "alice 700"
    [ -e /home/alice/.local/state/rxd/rxd.db ] || fail "no state"
}

# alice's socket, while the machine's daemon runs as well.
finds_the_daemon() {
    fresh
    equal "alice's socket" "$(users_rxctl socket-path)" $RUNTIME/rxd/rxd.sock
    equal "the user of alice's daemon" "$(stat -c %U /proc/"$(users_rxctl status --json | jq .pid)")" alice
    equal "the machine's, by name" "$(users_rxctl -s $SOCKET status --json | jq .pid)" "$(property MainPID)"
    equal "the machine's, by RXD_SOCKET" \
        "$(session RXD_SOCKET=$SOCKET timeout 60 /usr/local/bin/rxctl status --json | jq .pid)" "$(property MainPID)"
}

reloads_for_a_user() {
    printf '[action.test-more]\nrun = ["/bin/echo", "more"]\n' >/home/alice/.config/rxd/conf.d/more.toml
    session systemctl --user reload rxd.service
    eventually 60 users_rxctl describe test-more
    equal "rxctl's output" "$(users_rxctl execute test-more)" '"more"'
}

keeps_others_out() {
    local status=0
    as bob timeout 60 /usr/local/bin/rxctl -s $RUNTIME/rxd/rxd.sock list || status=$?
    equal "rxctl's exit status for bob" $status 69
}

stops_for_a_user() {
    session systemctl --user stop rxd.socket rxd.service
    [ ! -e $RUNTIME/rxd/rxd.sock ] || fail "the socket is still there"
    equal "alice's socket, without a daemon of hers" "$(users_rxctl socket-path)" $SOCKET
}

# alice belongs to rxd and not to systemd-journal.
shares_with_a_group() {
    local status=0 job
    session /usr/local/bin/rxd --user --socket /tmp/alice.sock --socket-mode 0660 --socket-group rxd &
    job=$!
    session timeout 60 /usr/local/bin/rxctl -s /tmp/alice.sock status --wait 50s >/dev/null
    equal "the socket" "$(stat -c '%U:%G %a' /tmp/alice.sock)" "alice:rxd 660"
    as bob timeout 60 /usr/local/bin/rxctl -s /tmp/alice.sock list 2>/tmp/refusal || status=$?
    equal "rxctl's exit status for bob" $status 69
    grep -q 'join the group rxd' /tmp/refusal || fail "$(cat /tmp/refusal)"
    member() { setpriv --reuid=bob --regid=bob --groups=rxd -- "$@"; }
    equal "rxctl's output for a member" \
        "$(member timeout 60 /usr/local/bin/rxctl -s /tmp/alice.sock execute test-hello)" '"hello"'
    kill "$(users_rxctl -s /tmp/alice.sock status --json | jq .pid)"
    wait "$job"
}

keeps_to_its_groups() {
    local status=0
    session timeout 60 /usr/local/bin/rxd --user --socket /tmp/alice.sock --socket-group systemd-journal \
        2>/tmp/refusal || status=$?
    equal "rxd's exit status" $status 1
    grep -q 'make the user of the daemon a member of that group' /tmp/refusal || fail "$(cat /tmp/refusal)"
    [ ! -e /tmp/alice.sock ] || fail "there is a socket"
}

# Only the service has a /tmp of its own.
warns_of_its_own_tmp() {
    local watch='[stream.test-tmp]\npath = "/tmp"\n'
    printf "$watch" | configure tmp.toml
    printf "$watch" >/home/alice/.config/rxd/conf.d/tmp.toml
    /usr/local/bin/rxd --check 2>&1 | grep -q '/tmp is in a directory of the service.s own' || fail "no warning"
    session /usr/local/bin/rxd --user --check >/tmp/warnings 2>&1
    ! grep PrivateTmp /tmp/warnings || fail "a warning of a private daemon"
    systemctl restart rxd.service
    journal -u rxd.service -n 50 | grep -q 'rxd.service has PrivateTmp' || fail "no warning of the service"
    rm /etc/rxd/conf.d/tmp.toml /home/alice/.config/rxd/conf.d/tmp.toml
    systemctl reload rxd.service
}

check "systemctl --user runs one for a user" runs_for_a_user
check "rxctl finds the user's daemon before the machine's" finds_the_daemon
check "systemctl --user reload reads the user's configuration" reloads_for_a_user
check "no other user connects to it" keeps_others_out
check "without it, rxctl uses the machine's" stops_for_a_user
check "a user shares a daemon with a group" shares_with_a_group
check "a user cannot give the socket to a group of others" keeps_to_its_groups
check "only the service warns of a /tmp of its own" warns_of_its_own_tmp
