// RxHost: actions by name over JSON values, and their executions.
