"""What `deploy/services` is made of: one file per server, and the few things they share.

folder: where the state lives and which account owns it. process: one background process, found
again by pid and start time. install: Debian's packages. server: what all three have in common.
"""
