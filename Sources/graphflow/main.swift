print("graphflow")
