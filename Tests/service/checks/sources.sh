# The sources of streams with this systemd, journald, and bus. SourceProbe prints what they emit.

PROBES=/tmp/probes
mkdir -p $PROBES

# probe NAME ARGUMENT…: begins to print what a source emits, as a service of its own.
probe() {
    local name=$1
    shift
    systemd-run --quiet --unit="probe-$name" --property=StandardOutput="file:$PROBES/$name" \
        /programs/SourceProbe "$@"
}

# emitted NAME TEXT: an element with this text.
emitted() { grep -qF -- "$2" "$PROBES/$1"; }

demo() {
    mkdir -p /run/systemd/system
    printf '[Service]\nExecStart=%s\n' "$1" >/run/systemd/system/demo.service
    systemctl daemon-reload
}

units() {
    probe unit unit demo.service
    probe glob unit 'demo*.service'
    eventually 60 emitted unit '"active":"inactive","sub":"not-found"'
    demo '/bin/sleep 1000'
    eventually 60 emitted unit '"active":"inactive","sub":"dead"'
    systemctl start demo.service
    eventually 60 emitted unit '"active":"active","sub":"running","result":"success"'
    eventually 60 emitted glob '"active":"active","sub":"running","result":"success"'
    systemctl kill --signal=KILL demo.service
    eventually 60 emitted unit '"active":"failed","sub":"failed","result":"signal"'
    eventually 60 emitted glob '"active":"failed","sub":"failed","result":"signal"'
}

bus_restarts() {
    local known
    systemctl reset-failed demo.service
    systemctl restart dbus.service
    eventually 60 emitted unit 'waiting the connection to the system bus was lost'
    eventually 60 emitted unit 'waiting no more'
    known=$(wc -l <$PROBES/unit)
    systemctl start demo.service
    eventually 60 eval "tail -n +$((known + 1)) $PROBES/unit | grep -q '\"active\":\"active\"'"
    systemctl stop demo.service
}

signals_of_bus() {
    probe bus bus org.freedesktop.systemd1.Manager Reloading
    # Until the match is installed, signals pass by.
    eventually 60 eval "systemctl daemon-reload; grep -qF '\"arguments\":[false]' $PROBES/bus"
}

# Writes lines to the journal as a service that is not the probe's.
write() { systemd-run --quiet --wait --unit=writer bash -c "seq -f '$1 %g' $2 | systemd-cat -t probed -p err"; }

records() {
    probe journal journal SYSLOG_IDENTIFIER=probed PRIORITY=0..3
    # The probe has begun once it emits something.
    eventually 60 eval "write first 1; grep -q first $PROBES/journal"
    write second 1000
    journalctl --rotate
    write third 1000
    eventually 60 eval "[ \$(grep -c third $PROBES/journal) = 1000 ]"
    equal "the records before the rotation" "$(grep -c second $PROBES/journal)" 1000
    equal "the order" "$(grep -o '"third [0-9]*' $PROBES/journal | cut -d' ' -f2)" "$(seq 1000)"
}

own_records() {
    # The writer belongs to the unit of the probe, as an action belongs to that of the daemon. It lives on, so that
    # journald learns its unit.
    systemd-run --quiet --unit=probe-own bash -c "/programs/SourceProbe journal SYSLOG_IDENTIFIER=owned >$PROBES/own &
        until [ -e $PROBES/go ]; do sleep 0.05; done; { echo mine; sleep 1000; } | systemd-cat -t owned"
    other() { systemd-run --quiet --wait --unit=writer bash -c "echo $1 | systemd-cat -t owned"; }
    eventually 60 eval "other begin; grep -q begin $PROBES/own"
    touch $PROBES/go
    eventually 60 eval "journalctl --sync; journalctl --quiet -t owned | grep -q mine"
    other end
    eventually 60 emitted own end
    ! emitted own mine
}

no_permission() {
    systemd-run --quiet --unit=probe-nobody --property=User=nobody --property=StandardOutput="file:$PROBES/nobody" \
        /programs/SourceProbe journal
    eventually 60 emitted nobody 'permission denied; add the daemon'
    systemd-run --quiet --unit=probe-group --property=User=nobody --property=SupplementaryGroups=systemd-journal \
        --property=StandardOutput="file:$PROBES/group" /programs/SourceProbe journal
    eventually 60 eval "logger probed; [ -s $PROBES/group ]"
    emitted group element
}


probe_is_there() { test -x /programs/SourceProbe; }

check "SourceProbe was built" probe_is_there
check "unit: each state of a unit comes, also of one that did not exist" units
check "unit: after a restart of the bus, changes come again" bus_restarts
check "bus: signals of the system bus come" signals_of_bus
check "journal: records come in order, across a rotation" records
check "journal: the records of the reader's own unit are left out" own_records
check "journal: a user without permission gets the reason, a member of systemd-journal the records" no_permission
systemctl stop 'probe-*.service'
