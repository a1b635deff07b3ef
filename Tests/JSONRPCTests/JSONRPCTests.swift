// Tests of JSONRPC.
