// RxAction: work that can be enabled, executed, observed and cancelled.
