// RxOffline: where rxd has its files, and what it does without becoming a daemon. Each run reads a configuration or a
// state directory, prints a result, and ends.
//
//     Places              the configuration, the state, and the socket: as options, variables, and `--user` state
//     ReplayRun           `rxd --replay`: another configuration tried on the kept actions of a reactor
//     TestRun             `rxd --test`: the tests of a configuration
//     ConfigurationCheck  `rxd --check`: the faults and warnings of a configuration, its tests included
//     BackupRun           `rxd --backup`: copies of the databases of a state directory
//     Description         `rxd --describe`: what the manual pages are made from
//
// Rules:
// * No run starts a process of an action, opens a socket, or changes what a daemon uses.
// * Results go to standard output, one JSON text per line or text for people; messages go to standard error.
// * A run that has no result throws an `OfflineFailure`, which has the exit status.
