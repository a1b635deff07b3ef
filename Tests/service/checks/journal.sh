# What the journal can be asked.

records_have_fields() {
    rxctl execute test-hello
    journal _SYSTEMD_UNIT=rxd.service RXD_ACTION=test-hello |
        jq --exit-status --slurp 'any(.RXD_EXECUTION and .MESSAGE and .PRIORITY and .SYSLOG_IDENTIFIER == "rxd")'
}

standard_error_has_fields() {
    local execution
    execution=$(rxctl call action.execute '{"action":"test-grumble","input":{}}' | jq -r .execution)
    journal RXD_ACTION=test-grumble "RXD_EXECUTION=$execution" |
        jq --exit-status --slurp 'any(.MESSAGE | tostring | contains("careful now"))'
}

check "journal records carry RXD_ACTION and RXD_EXECUTION" records_have_fields
check "a process's stderr is in the journal with its execution" standard_error_has_fields
