"""OpenStack Swift with its S3 interface, in one process: a foreign server that checks signatures and preconditions.

Usage: swiftServer.py <folder> <access key> <secret>. Prints its port once it answers; ends when its standard input does.
"""
import os
import sys

import eventlet

eventlet.monkey_patch()
from eventlet import wsgi
from swift.common import storage_policy, utils

folder, access, secret = sys.argv[1:]
account, user = access.split(":")
os.makedirs(os.path.join(folder, "devices", "d1"))


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


utils.SWIFT_CONF_FILE = storage_policy.SWIFT_CONF_FILE = write("swift.conf", """
[swift-hash]
swift_hash_path_suffix = test
[storage-policy:0]
name = one
default = yes
""")
utils.validate_hash_conf()
storage_policy.reload_storage_policies()

from swift.account.server import AccountController
from swift.common.ring import RingBuilder
from swift.common.wsgi import loadapp
from swift.container.server import ContainerController
from swift.obj.server import ObjectController

sockets = {name: eventlet.listen(("127.0.0.1", 0)) for name in ("account", "container", "object", "proxy")}
for name in ("account", "container", "object"):
    builder = RingBuilder(1, 1, 0)
    port = sockets[name].getsockname()[1]
    builder.add_dev({"id": 0, "region": 1, "zone": 1, "weight": 1.0, "ip": "127.0.0.1", "port": port, "device": "d1"})
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, name + ".ring.gz"))

storage = {"swift_dir": folder, "devices": os.path.join(folder, "devices"), "mount_check": "false",
           "disable_fallocate": "true", "log_level": "ERROR"}
proxy = loadapp(write("proxy.conf", f"""
[DEFAULT]
swift_dir = {folder}
log_level = ERROR
[pipeline:main]
pipeline = catch_errors s3api tempauth proxy-server
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_{account}_{user} = {secret} .admin
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
"""))


class NoCache:
    """No token is used, so nothing has to be remembered."""

    def get(self, *args, **kwargs):
        return None

    set = delete = incr = get


def uncached(env, start):
    env["swift.cache"] = NoCache()
    return proxy(env, start)


apps = {"account": AccountController(storage), "container": ContainerController(storage),
        "object": ObjectController(storage), "proxy": uncached}
with open(os.devnull, "w") as silent:
    for name, app in apps.items():
        eventlet.spawn(wsgi.server, sockets[name], app, log=silent)
    print(sockets["proxy"].getsockname()[1], flush=True)
    eventlet.tpool.execute(sys.stdin.read)
