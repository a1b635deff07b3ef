// JSONRPC: JSON-RPC 2.0 messages over lines.
