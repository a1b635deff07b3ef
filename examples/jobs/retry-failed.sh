# Each input whose last execution has failed, once more.
rxctl retry report
