// Tests of rxctl.
