parallel --retry-failed --joblog log
