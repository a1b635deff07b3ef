# The daemon's own streams of units, the bus, and the journal, with this systemd. sources.sh has what each emits.

MACHINE=/var/lib/rxd/machine

machine_streams() {
    mkdir -p /etc/systemd/system/rxd.service.d
    cp /repository/systemd/examples/journal.conf /etc/systemd/system/rxd.service.d/
    demo '/bin/sleep 1000'
    configure machine.toml <<'TOML'
[stream.units]
unit    = "demo.service"
through = [{ map = ".active" }]

[stream.reloads]
bus     = { interface = "org.freedesktop.systemd1.Manager", member = "Reloading" }
through = [{ map = ".arguments[0]" }]

[stream.records]
journal = { SYSLOG_IDENTIFIER = "machine", PRIORITY = "0..3" }
through = [{ map = ".MESSAGE" }]

[action.note]
run     = ["sh", "-c", 'echo "$1" >>/var/lib/rxd/machine', "note", { input = "" }]
overlap = "queue"
limit   = 100
on      = { merge = ["units", "reloads", "records"] }
TOML
    systemctl daemon-reload
    systemctl restart rxd.service || fail "$(systemctl status --no-pager --lines 20 rxd.service)"
    equal "the streams" "$(/usr/local/bin/rxctl list --streams | jq -r .stream | sort | xargs)" \
        "note@1 records reloads units"
}

# noted LINE: an action was fired with it.
noted() { grep -qxF -- "$1" $MACHINE; }

streamed_unit() {
    eventually 60 noted inactive
    systemctl start demo.service
    eventually 60 noted active
    systemctl kill --signal=KILL demo.service
    eventually 60 noted failed
    systemctl reset-failed demo.service
}

streamed_bus() { eventually 60 eval 'systemctl daemon-reload; noted true && noted false'; }

streamed_record() {
    printf 'below\n' | systemd-cat -t machine -p info
    eventually 60 eval 'printf "above\n" | systemd-cat -t machine -p err; noted above'
    ! noted below || fail "a record of another priority came"
}

check "machine: streams of a unit, the bus, and the journal are hosted" machine_streams
check "machine: each state of a unit fires" streamed_unit
check "machine: signals of the system bus fire" streamed_bus
check "machine: records of the journal fire" streamed_record
rm -rf $MACHINE /etc/systemd/system/rxd.service.d /etc/rxd/conf.d/machine.toml /run/systemd/system/demo.service
systemctl daemon-reload
fresh
