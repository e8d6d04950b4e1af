"""One file per API operation. An action takes the context and a request of the right shape, and answers it."""
