# The three actions of docs/contracts/streams.md, as typed, with the daemon's own streams: through restarts, and through
# clock changes in a zone that zic makes and TZDIR leads to.

ZONES=/run/zoneinfo
SENT=/var/lib/rxd/sent
BACKUPS=/var/lib/rxd/backups

# program NAME FILE: a program that appends its arguments to a file.
program() {
    printf '#!/bin/sh\necho "$@" >>%s\n' "$2" >"/usr/local/bin/$1"
    chmod 755 "/usr/local/bin/$1"
}

# offset SECONDS: as zic writes it.
offset() {
    local seconds=$1 sign=
    [ "$seconds" -ge 0 ] || sign=- seconds=$((-seconds))
    printf '%s%d:%02d:%02d' "$sign" $((seconds / 3600)) $((seconds / 60 % 60)) $((seconds % 60))
}

# berlin TIME BEFORE AFTER: at TIME, in seconds since 1970, the clock goes from BEFORE to AFTER, both h:m:s.
berlin() {
    local utc=$(($1 % 86400)) before after
    before=$(($(date -u -d "1970-01-01 $2" +%s) - utc))
    after=$(($(date -u -d "1970-01-01 $3" +%s) - utc))
    [ $before -ge -43200 ] || before=$((before + 86400)) after=$((after + 86400))
    [ $before -le 43200 ] || before=$((before - 86400)) after=$((after - 86400))
    printf 'Zone Europe/Berlin %s - AAA %s\n\t\t%s - BBB\n' \
        "$(offset $before)" "$(date -u -d "@$1" '+%Y %b %e %H:%M:%Su')" "$(offset $after)" >/run/zone
    (umask 022 && zic -d $ZONES /run/zone)
}

passed_by() { [ "$(date +%s)" -gt "$1" ]; }

# slots: the times of all backups, in seconds since 1970.
slots() { rxctl history backup --json | jq -r '.by.scheduled[:19] + "Z" | fromdate'; }

has_slot() { slots | grep -qx "$1"; }

lines() { cat "$1" 2>/dev/null | wc -l; }

count_is() { [ "$(lines "$1")" = "$2" ]; }

streams_as_typed() {
    program backup $BACKUPS
    program mail-the-team $SENT
    mkdir -p /srv/site/content /etc/systemd/system/rxd.service.d
    printf 'all:\n\techo built >>log\n' >/srv/site/Makefile
    chown -R rxd:rxd /srv/site
    printf '[Service]\nEnvironment=TZDIR=%s\n' $ZONES >/etc/systemd/system/rxd.service.d/zones.conf
    berlin $(($(date +%s) + 86400)) 12:00:00 13:00:00
    # The block of the contract that begins with [action.backup].
    sed -n '/^    \[action\.backup\]/,/^    input   = /s/^    //p' /repository/docs/contracts/streams.md |
        configure streams.toml
    for name in one two three; do printf '[action.fails-%s]\nrun = ["false"]\n' $name; done |
        configure failures.toml
    grep -q mail-the-team /etc/rxd/conf.d/streams.toml
    local complaints
    # Without it, --check warns that nothing starts the streams at boot.
    systemctl enable --quiet rxd.service
    complaints=$(as rxd rxd --check 2>&1) || fail "$complaints"
    equal "the output of rxd --check" "$complaints" ""
    systemctl daemon-reload
    systemctl restart rxd.service
    # As root: streams with files, and with failures of all actions, are for those who may manage.
    equal "the streams" "$(/usr/local/bin/rxctl list --streams | jq -r .stream | xargs)" "backup@1 failures saves"
}

# save COUNT: that many pages at once.
save() { for page in $(seq "$1"); do echo "$page" >"/srv/site/content/$page.md"; done; }

site() {
    save 100
    eventually 60 count_is /srv/site/log 1
    systemctl restart rxd.service
    save 100
    eventually 60 count_is /srv/site/log 2
    equal "the builds" "$(rxctl history site --json | jq -r .by.stream | sort | uniq -c | xargs)" "2 saves"
}

alert() {
    ! rxctl execute fails-one || fail "it did not fail"
    eventually 60 count_is $SENT 1
    systemctl restart rxd.service
    ! rxctl execute fails-two || fail "it did not fail"
    eventually 60 count_is $SENT 2
    kill -KILL "$(property MainPID)"
    eventually 60 is_active
    ! rxctl execute fails-three || fail "it did not fail"
    eventually 60 count_is $SENT 3
    equal "the alerts" "$(cut -d: -f1 $SENT | xargs)" "fails-one fails-two fails-three"
}

# night TIME BEFORE AFTER: restarts the daemon with a clock that goes from BEFORE to AFTER at TIME.
night() {
    rm -f $BACKUPS
    berlin "$@"
    systemctl restart rxd.service
}

in_time() {
    local due=$(($(date +%s) + 4))
    night $due 03:00:00 03:00:00
    eventually 60 has_slot $due
    eventually 60 count_is $BACKUPS 1
    equal "the argument" "$(cut -d' ' -f1 $BACKUPS)" --day
}

catches_up() {
    local due=$(($(date +%s) + 4))
    night $due 03:00:00 03:00:00
    systemctl stop rxd.socket rxd.service
    eventually 60 passed_by $due
    fresh
    eventually 60 has_slot $due
    # A restart would cancel it.
    eventually 60 count_is $BACKUPS 1
    systemctl restart rxd.service
    kill -KILL "$(property MainPID)"
    eventually 60 is_active
    equal "the backups of this slot" "$(slots | grep -cx $due)" 1
    equal "the lines" "$(lines $BACKUPS)" 1
}

spring() {
    local change=$(($(date +%s) + 5))
    night $change 02:30:00 03:30:00
    eventually 60 has_slot $change
    eventually 60 count_is $BACKUPS 1
    eventually 60 passed_by $((change + 2))
    equal "the lines" "$(lines $BACKUPS)" 1
}

autumn() {
    # 03:00:00 comes at `first`, and again 10 s later.
    local first=$(($(date +%s) + 4)) before
    before=$(slots | wc -l)
    night $((first + 5)) 03:00:05 02:59:55
    eventually 60 has_slot $first
    eventually 60 passed_by $((first + 11))
    equal "the backups of this night" "$(($(slots | wc -l) - before))" 1
    equal "the lines" "$(lines $BACKUPS)" 1
}

if command -v zic >/dev/null; then
    check "streams: the actions of the contract are configured as typed" streams_as_typed
    check "streams: a hundred saves are one build, and again after a restart" site
    check "streams: each failure is one alert, through a restart and kill -9" alert
    check "streams: the backup starts at its time" in_time
    check "streams: a backup that came due while the daemon was stopped is made once" catches_up
    check "streams: a time that the clock skips fires at the first instant after it" spring
    check "streams: a time that comes twice fires once, at first" autumn
    rm /usr/local/bin/backup /usr/local/bin/mail-the-team
    rm -rf /etc/systemd/system/rxd.service.d /etc/rxd/conf.d/streams.toml /etc/rxd/conf.d/failures.toml
    systemctl daemon-reload
    fresh
fi
