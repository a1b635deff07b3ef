rxctl execute deploy version=v1
