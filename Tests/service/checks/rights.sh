# Who may do what, with users and groups as the kernel reports them. All of them may open the socket.
#
# carol is named, dave belongs to the group deployers, erin to the group operators, frank to neither.

AUDIT=ddca655f04bb4d7ea2b446e25474080e
printf '%s\n' 'u carol 2003' 'u dave 2004' 'u erin 2005' 'u frank 2006' 'g deployers 2101' 'g operators 2102' \
    'm carol rxd' 'm dave rxd' 'm erin rxd' 'm frank rxd' 'm dave deployers' 'm erin operators' | systemd-sysusers -

# by USER ARGUMENT…: rxctl as that user; groups as at a login.
by() {
    local user=$1
    shift
    as "$user" timeout 60 /usr/local/bin/rxctl -s "$SOCKET" "$@"
}

# status COMMAND…: its exit status, and nothing else.
status() {
    local status=0
    "$@" >/dev/null 2>&1 || status=$?
    echo $status
}

guard() {
    configure rights.toml <<TOML
[access]
manage = { groups = ["operators"] }

[action.test-guarded]
run = ["/bin/sleep", "9874"]
overlap = "concurrent"
limit = 100
allow = $1
TOML
    # Ended by an answer, unlike systemctl's: rights hold when it is there.
    by root call server.reload '{}'
}

ALLOW='{ execute = { users = ["carol"], groups = ["deployers"] }, subscribe = { groups = [2101] }, '\
'manage = { groups = ["operators"] } }'

# start USER: the id of an execution that the user has asked for.
start() { by "$1" execute test-guarded --detach; }

# row USER: exit statuses of execute, check, subscribe, manage (off, on), read, get and cancel of root's execution, get
# and cancel of one's own, and reload.
row() {
    local user=$1 others own get=- cancel=-
    others=$(start root)
    own=$(start "$user" 2>/dev/null) || own=
    if [ -n "$own" ]; then
        get=$(status by "$user" call execution.get "{\"execution\":\"$own\"}")
        cancel=$(status by "$user" call execution.cancel "{\"execution\":\"$own\"}")
    fi
    echo "$user" \
        "$(status by "$user" execute test-guarded --detach)" \
        "$(status by "$user" check test-guarded)" \
        "$(status by "$user" call subscribe '{"subscription":"a","action":"test-guarded"}')" \
        "$(status by "$user" disable test-guarded)" \
        "$(status by "$user" enable test-guarded)" \
        "$(status by "$user" describe test-guarded)" \
        "$(status by "$user" call execution.get "{\"execution\":\"$others\"}")" \
        "$(status by "$user" call execution.cancel "{\"execution\":\"$others\"}")" \
        "$get" "$cancel" \
        "$(status by "$user" call server.reload '{"dryRun":true}')"
}

matrix_holds() {
    fresh
    guard "$ALLOW"
    local user
    for user in root rxd carol dave erin frank; do row "$user"; done >/tmp/matrix
    # user   execute check subscribe off on read get cancel own:get own:cancel reload
    diff /tmp/matrix - <<'MATRIX'
root 0 0 0 0 0 0 0 0 0 0 0
rxd 0 0 0 0 0 0 0 0 0 0 0
carol 0 0 4 4 4 0 4 4 0 0 4
dave 0 0 0 4 4 0 0 4 0 0 4
erin 4 4 4 0 0 0 4 0 - - 0
frank 4 4 4 4 4 4 4 4 - - 4
MATRIX
}

lists_show_rights() {
    local user
    for user in root carol dave erin frank; do
        echo "$user $(by "$user" list --json | jq -r 'select(.action == "test-guarded") | .rights | join(",")')"
        echo "$user $(by "$user" list --json | jq -r 'select(.action == "test-hello") | .rights | join(",")')"
    done >/tmp/lists
    diff /tmp/lists - <<'LISTS'
root read,subscribe,execute,manage
root read,subscribe,execute,manage
carol read,execute
carol read,subscribe,execute
dave read,subscribe,execute
dave read,subscribe,execute
erin read,manage
erin read,subscribe,execute,manage
frank 
frank read,subscribe,execute
LISTS
}

history_is_for_who_may_see() {
    local id
    id=$(start carol)
    by carol cancel "$id" || true
    # Of carol's own only, of all, of none.
    equal "carol sees" "$(by carol call execution.list '{"action":"test-guarded"}' |
        jq -r '[.executions[].by.uid] | unique | join(",")')" 2003
    by dave call execution.list '{"action":"test-guarded"}' |
        jq --exit-status 'any(.executions[]; .by.uid == 2003) and any(.executions[]; .by.uid == 0)'
    equal "erin sees" "$(by erin call execution.list '{}' |
        jq '[.executions[] | select(.action == "test-guarded")] | length')" 0
    equal "frank sees" "$(by frank call execution.list '{}' |
        jq '[.executions[] | select(.action == "test-guarded")] | length')" 0
}

groups_are_the_kernels() {
    # A member by primary group, without being one by name; a member by name who has left the group behind.
    local rxd guarded=(timeout 60 /usr/local/bin/rxctl -s "$SOCKET" check test-guarded)
    rxd=$(getent group rxd | cut -d : -f 3)
    equal "frank's status with another primary group" \
        "$(status setpriv --reuid=frank --regid=deployers --groups="$rxd" -- "${guarded[@]}")" 0
    equal "dave's status without the group" \
        "$(status setpriv --reuid=dave --regid=dave --groups="$rxd" -- "${guarded[@]}")" 4
    # As a service of systemd has them.
    equal "dave's status as a service" \
        "$(status systemd-run --quiet --wait --collect --uid=dave -- "${guarded[@]}")" 0
    equal "frank's status as a service" \
        "$(status systemd-run --quiet --wait --collect --uid=frank -- "${guarded[@]}")" 4
}

# audited UID METHOD OUTCOME: there is such a record, of test-guarded.
audited() {
    journal _SYSTEMD_UNIT=rxd.service MESSAGE_ID=$AUDIT "RXD_PEER_UID=$1" "RXD_METHOD=$2" "RXD_OUTCOME=$3" |
        jq --exit-status --slurp 'any(.RXD_ACTION == "test-guarded" and (.MESSAGE | contains("test-guarded")))' ||
        fail "no audit record: uid $1, $2, $3"
}

audit_is_in_the_journal() {
    audited 2003 action.execute started
    audited 2003 execution.cancel done
    audited 2003 subscribe forbidden
    audited 2003 action.disable forbidden
    audited 2005 action.disable "done"
    audited 2005 execution.cancel "done"
    audited 2006 action.describe forbidden
    audited 2006 action.execute forbidden
    journal _SYSTEMD_UNIT=rxd.service "MESSAGE_ID=$AUDIT" \
        RXD_METHOD=server.reload RXD_OUTCOME=forbidden RXD_PEER_UID=2006 |
        jq --exit-status --slurp 'length > 0'
    local id
    id=$(start dave)
    journal MESSAGE_ID=$AUDIT "RXD_EXECUTION=$id" |
        jq --exit-status --slurp 'length == 1 and .[0].RXD_PEER_UID == "2004" and .[0].RXD_ACTION == "test-guarded"'
}

flood_is_counted() {
    local before
    before=$(date +%s)
    printf '{"jsonrpc":"2.0","id":%s,"method":"action.execute","params":{"action":"test-guarded"}}\n' \
        $(seq 20000) >/tmp/flood
    as frank timeout 120 socat -t 60 - "UNIX:$SOCKET" </tmp/flood >/tmp/answers
    equal "answers" "$(grep -c forbidden /tmp/answers)" 20000
    # Reported at the end of a span of ten seconds.
    eventually 60 left_out_is_told "$before"
    [ "$(wc -l </tmp/records)" -lt 200 ] || fail "$(wc -l </tmp/records) records"
}

left_out_is_told() {
    journal _SYSTEMD_UNIT=rxd.service MESSAGE_ID=$AUDIT RXD_PEER_UID=2006 --since="@$1" >/tmp/records
    jq --exit-status --slurp '[.[] | .RXD_LEFT_OUT // empty | tonumber] | add > 19000' /tmp/records >/dev/null
}

revoking_ends_streams() {
    local status=0 subscriber
    by dave subscribe test-guarded --channel executions >/tmp/seen 2>&1 &
    subscriber=$!
    # It is subscribed once it sees what happens.
    eventually 60 seen_something
    guard '{ users = ["carol"] }'
    wait "$subscriber" || status=$?
    equal "the subscriber's status" "$status" 4
    equal "its next attempt" "$(status by dave execute test-guarded --detach)" 4
    guard "$ALLOW"
    equal "with the right again" "$(status by dave check test-guarded)" 0
}

seen_something() {
    by root cancel "$(start root)"
    [ -s /tmp/seen ]
}

unknown_names_are_refused() {
    printf '[access]\nmanage = { users = ["root", "no-such-user"] }\n' >/tmp/unknown.toml
    mkdir -p /tmp/unknown
    mv /tmp/unknown.toml /tmp/unknown/rxd.toml
    local status=0
    /usr/local/bin/rxd --check --config /tmp/unknown 2>/tmp/complaint || status=$?
    equal "the exit status" "$status" 78
    equal "the complaint" "$(cat /tmp/complaint)" \
        '/tmp/unknown/rxd.toml:2: access.manage.users[1]: no such user: "no-such-user"'
}

hidden_users_are_refused() {
    mkdir -p /etc/systemd/system/rxd.service.d
    printf '[Service]\nPrivateUsers=yes\n' >/etc/systemd/system/rxd.service.d/private.conf
    systemctl daemon-reload
    systemctl stop rxd.service
    ! systemctl start rxd.service || fail "started with rules that can never hold"
    equal ExecMainStatus "$(property ExecMainStatus)" 78
    journal _SYSTEMD_UNIT=rxd.service -n 20 |
        jq --exit-status --slurp 'any(.MESSAGE | tostring
            | contains("test-guarded.allow.execute.users[0]: user carol (uid 2003) is hidden by the user namespace")
            and contains("PrivateUsers=no"))'
    equal "the status of --check" \
        "$(status systemd-run --quiet --wait --collect -p PrivateUsers=yes -p User=rxd /usr/local/bin/rxd --check)" 78
    # Rules that nobody hides hold there, too.
    rm /etc/rxd/conf.d/rights.toml
    systemctl reset-failed rxd.service
    systemctl start rxd.service
    equal "rxctl's output" "$(rxctl execute test-hello)" '"hello"'
}

check "rights of root, the daemon's user, a named user, members of groups and an outsider" matrix_holds
check "a list shows what one has a right on, and which" lists_show_rights
check "records are for who may subscribe and for who asked" history_is_for_who_may_see
check "groups count as the client's process has them" groups_are_the_kernels
check "the journal has what clients did or were refused, by uid, method, action, execution, and outcome" \
    audit_is_in_the_journal
check "a flood of forbidden attempts is answered, and counted in the journal" flood_is_counted
check "a reload that takes a right away ends the streams it carried" revoking_ends_streams
check "unknown users are faults of the configuration" unknown_names_are_refused
check "rules about users that PrivateUsers=yes hides are refused, at the start and by --check" hidden_users_are_refused
rm -rf /etc/systemd/system/rxd.service.d /etc/rxd/conf.d/rights.toml
systemctl daemon-reload
# The next check begins with a daemon of its own.
systemctl stop rxd.service
