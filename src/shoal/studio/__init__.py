"""The web studio and its REST interface: projects, jobs in processes of their own, and who may talk to them.

It has no logic of its own: it builds a plan, has the library run it, and shows the result. NiceGUI and FastAPI are
imported when the server starts, so that the package can be imported without the extra `studio`.
"""
