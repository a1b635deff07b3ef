# The units for `systemctl --user`, under a user manager of alice's.

# No PAM inside the container: what pam_systemd would set is given instead.
mkdir -p /etc/systemd/system/user@.service.d /home/alice/.config/rxd/conf.d
printf '[Service]\nPAMName=\nEnvironment=XDG_RUNTIME_DIR=/run/user/%%i\n' >/etc/systemd/system/user@.service.d/test.conf
cp actions.toml /home/alice/.config/rxd/conf.d/
chown -R alice:alice /home/alice
systemctl daemon-reload

runs_for_a_user() {
    systemctl start user@2001.service
    as alice env XDG_RUNTIME_DIR=/run/user/2001 systemctl --user start rxd.socket
    equal "the socket" "$(stat -c '%U %a' /run/user/2001/rxd.sock)" "alice 600"
    equal "rxctl's output" \
        "$(as alice timeout 15 /usr/local/bin/rxctl -s /run/user/2001/rxd.sock execute test-hello)" '"hello"'
    as alice env XDG_RUNTIME_DIR=/run/user/2001 systemctl --user stop rxd.socket rxd.service
    equal "the state directory" "$(stat -c '%U %a' /home/alice/.local/state/rxd)" "alice 700"
}

check "systemctl --user runs one for a user" runs_for_a_user
