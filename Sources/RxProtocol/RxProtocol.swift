// RxProtocol: the methods rxd speaks, with their params, results, error codes and limits.
