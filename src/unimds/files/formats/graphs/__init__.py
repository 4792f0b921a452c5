"""Formats of graphs: GraphML, GEXF, GML and networkx' node-link JSON, as nodes and edges."""
